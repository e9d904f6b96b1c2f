"""Speed, memory and quality: asv and pytest-benchmark on the same cases, and peers measured in pairs."""
