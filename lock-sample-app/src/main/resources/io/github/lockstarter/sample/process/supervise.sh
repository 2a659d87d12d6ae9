# Runs a program for as long as standard input stays open, then removes its directory.
#   $1      directory of the program
#   $2 …    the program and its arguments; it stays in the foreground
#   stdin   a pipe from the application, which closes when the application ends, however it ends (kill -9 too).
#           Each line starts the program, unless it runs.
#   stdout  "started <pid>" and "ended <exit status>", and what the program itself writes
# What the program writes to its standard error is in $1/errors.log.
directory=$1
shift

# Ctrl-C and Ctrl-\ reach the whole foreground group. This script leaves by its standard input only, and the program gets
# a session of its own where setsid is installed (not on macOS): the application may need it while it closes.
trap '' HUP INT QUIT TERM
if command -v setsid >/dev/null 2>&1; then
  set -- setsid "$@"
fi

# The file "pid" exists, empty at first, from before the program starts until after it has ended. What is told begins with
# the end of a line: a killed program may have left half of one.
run() {
  : >"$directory/pid"
  (
    (
      trap - TERM
      exec sh -c 'echo "$$" >"$0/pid"; printf "\nstarted %s\n" "$$"; exec "$@"' "$directory" "$@" </dev/null
    )
    status=$?
    rm -f "$directory/pid"
    printf '\nended %s\n' "$status"
  ) 2>>"$directory/errors.log" &
}

while read -r line; do
  if [ ! -e "$directory/pid" ]; then
    run "$@"
  fi
done

# A stopped program (SIGSTOP) gets its SIGTERM when it goes on.
tries=0
while [ -e "$directory/pid" ]; do
  program=$(cat "$directory/pid")
  tries=$((tries + 1))
  if [ -n "$program" ]; then
    if ! kill -0 "$program"; then
      # Whoever waited for its end was killed; else the file would be gone in a moment.
      rm -f "$directory/pid"
    elif [ "$tries" -le 60 ]; then
      kill -TERM "$program"
      kill -CONT "$program"
    else
      kill -KILL "$program"
    fi
  fi
  sleep 0.05
done 2>/dev/null
rm -rf "$directory"
