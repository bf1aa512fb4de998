"""Agents: who writes the reports. Nothing here scores."""

from deepassay.agents.agent import Agent, Session, Stop

__all__ = ["Agent", "Session", "Stop"]
