"""Known privacy bugs of released software and published algorithms, each beside its mended version."""
