"""What was asked: tasks, and the files that hold them."""

import sys

from deepassay import CallableRoom

sys.modules[__name__].__class__ = CallableRoom
