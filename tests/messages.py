"""What a message about bad input must look like."""

from __future__ import annotations


def names(message: str, parameter: str) -> bool:
    """Whether the subject of the message, what stands before its verb, has the parameter as a word."""
    subject = message.partition(" must")[0].partition(", got")[0].partition(" (see")[0]
    words = [word.strip("'.,:()") for word in subject.split()]
    return parameter in {*words, *(word.partition(".")[0] for word in words)}
