"""``python -m tools.records FOLDER``."""

import sys

from tools.records import main

sys.exit(main(sys.argv[1:]))
