"""What tasks are judged by: criteria, checklists and rubrics, made by a model."""
