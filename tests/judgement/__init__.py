"""Judging the checks on real mistakes, and on rules that their field respects."""
