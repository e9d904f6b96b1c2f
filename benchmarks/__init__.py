"""Speed, memory and quality: asv and pytest-benchmark on the same pieces of work, and peers measured in pairs."""
