"""The wings: capabilities beside the core, each whole in its folder. The core imports none."""
