"""How reports are scored: a file or folder a protocol; `papers.yaml` is the ledger of readings."""
