"""How reports are scored: a file or folder a protocol, and `papers.yaml`, the ledger of readings."""
