"""Hypothesis classes with their oracles: exact ones, those with a certified gap, and inexact ones of a library."""
