"""What `audit` does: a sheet of calls to be labelled by hand, and what comes back.

sample    which calls: seeded, and as many of each class as can be had
sheet     a call as a row: everything a person needs to judge it, and not what the product thinks
lines     precision by class
filled    a filled sheet, checked to the last cell
"""
