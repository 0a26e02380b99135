"""What Prometheus may see. The only place that imports prometheus_client.

definitions  every series: name, kind, help, labels with their bounds, buckets
readings     what was read of one source, by metric name
bounds       free text to a bounded label
ratchet      counters that never fall, although the store forgets
exposition   readings to a scrape's text
sources      the relay's page, the store's totals and the processes as readings
loops        which sessions re-read in a loop

A metric whose source could not be read is absent; one that was read and found nothing is 0.
"""
