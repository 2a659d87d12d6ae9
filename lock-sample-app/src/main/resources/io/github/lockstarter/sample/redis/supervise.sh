# Runs redis-server on the loopback interface for as long as standard input stays open, then removes the directory.
#   $1      directory that holds the redis-server binary; everything the server writes goes there
#   $2      port
#   stdout  "ready <pid of redis-server>" once the server listens; nothing, and exit status 1, if it does not
# Standard input is a pipe from the application: it closes when the application ends, however it ends (kill -9 too).
directory=$1
port=$2

# Ctrl-C reaches the whole foreground group. The application still needs its Redis while it closes, so the server gets
# a session of its own (daemonize), and this script leaves by its standard input only.
trap '' HUP INT TERM
"$directory/redis-server" --daemonize yes --bind 127.0.0.1 --port "$port" --save '' --appendonly no \
  --dir "$directory" --pidfile "$directory/redis.pid" --logfile "$directory/redis.log" </dev/null

# The server writes its pid file after it has bound the port, and removes it when it ends.
tries=0
until [ -s "$directory/redis.pid" ]; do
  tries=$((tries + 1))
  [ "$tries" -le 200 ] || exit 1
  sleep 0.05
done
server=$(cat "$directory/redis.pid")
echo "ready $server"

cat >/dev/null
kill "$server" 2>/dev/null
tries=0
while [ -e "$directory/redis.pid" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 100 ]; then
    kill -9 "$server" 2>/dev/null
    break
  fi
  sleep 0.05
done
rm -rf "$directory"
