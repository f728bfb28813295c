"""None: the tables are Windlass's own. Django tells only apps with this file that it migrated."""
