"""The papers of this suite, on top of the framework: each a folder that is loaded when it is asked for."""
