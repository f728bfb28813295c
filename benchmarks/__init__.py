"""What Windlass can do, measured: `script/bench`."""
