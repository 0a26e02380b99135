"""What a sampling cost and how long a text is: the one door of tiktoken and of genai-prices. Nothing is downloaded.

tokens       reference tokens of a text (`_ref`); never mixed with the provider's counts (`_billed`, V21)
vocabulary   the tokenizers' files, unpacked once and checked
prices       Pricer: what one iteration cost at the time of its exchange
rates        prices by billed class, and the exact arithmetic
price_table  the dated table of genai-prices as rates
price_file   the user's own prices
"""
