"""Agents: who writes the reports. Nothing here scores."""

from deepassay.agents.agent import Agent, Models, Session, Stop, Tools

__all__ = ["Agent", "Models", "Session", "Stop", "Tools"]
