"""The self-contained HTML file around the pictures.

html      header, three numbers, pictures, bills, small print; its policy
bills     the bill of each compaction, and what it dropped
style, script
          its looks and its few lines of behaviour
"""
