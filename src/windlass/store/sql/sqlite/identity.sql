-- What tells this store from every other.
select identity from windlass_settings
