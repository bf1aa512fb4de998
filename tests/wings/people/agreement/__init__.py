"""Tests of agreement with people."""
