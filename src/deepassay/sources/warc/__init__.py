"""Captures as WARC 1.1 files, for archives, for other programs, and for other machines.

An export is, one gzip member a record: `warcinfo`; for each capture a `metadata` record with
all its fields, then its body (`response`, or `resource` where there was no web address) and its
text (`conversion` of the body, or `resource`); at the end a `metadata` record that counts the
captures, without which the file was cut. Equal captures give equal bytes.
"""

from deepassay.sources.warc.reading import read_warc
from deepassay.sources.warc.writing import export

__all__ = ["export", "read_warc"]
