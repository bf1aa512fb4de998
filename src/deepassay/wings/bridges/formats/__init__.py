"""What others read: runs as files of Every Eval Ever, rewards of Harbor, evaluations on spans."""
