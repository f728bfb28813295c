-- Nobody waits for a key here: there is one writer at a time, and it holds them all.
select :patience
