----------------------------------------------- MODULE HistoryGuard ------------------------------------------------
(* The history guard of docs/design.md: clients, one lock, a master, its replica, the master before.                  *)
(* HistoryGuardModel is the same transition system in Java: equal bounds give equal numbers of distinct states.       *)
EXTENDS Integers, TLC

CONSTANTS Clients,      \* two model values
  Lease,                \* of each acquire, in ticks, as all times
  Grace, Quiet,         \* G and quiet: how old a history must be for grants, and for renewals
  Window,               \* w: how long a deposed master executes scripts, the last tick included
  Fencing, Remembered,  \* whether fencing tokens are compared, and for how long; older ones are alike
  Faults, Variations    \* faults that happen, and differences from the protocol (controls), by their names in Java

VARIABLES server,      \* the "master", the "replica" with its state of any earlier time, and the "deposed" master
  writable,            \* for how many ticks the deposed master continues; -1 if it executes nothing
  client,              \* each one's hold or attempt, the command that it awaits, and one that it has given up (ghost)
  highest, disordered  \* the highest fencing token so far, and whether a grant did not exceed it
World == [server |-> server, writable |-> writable, client |-> client, highest |-> highest, disordered |-> disordered]

Max(a, b) == IF a > b THEN a ELSE b
OldAge == Max(Grace, Quiet)  \* from this age on all histories are alike

\* Fencing tokens are relative to now: a tick has 0 and 1, the tick before has -2 and -1.
Forgotten == -2 * Remembered - 1
NoFence == Forgotten - 1
Older(fencing) == IF fencing = NoFence THEN NoFence ELSE Max(fencing - 2, Forgotten)

\* A lock token is named after its client and the client's use of it. Nobody renews or releases with the dead one.
Nobody == <<"", "nobody">>
Dead == <<"", "dead">>
NoMarker == [id |-> "none", age |-> 0, first |-> FALSE, foreign |-> FALSE]
Unused == [owner |-> Nobody, expiry |-> 0, held |-> NoFence, fence |-> Forgotten, marker |-> NoMarker,
           promoted |-> FALSE, note |-> "none"]
NoCommand == [verb |-> "none", token |-> Nobody, fencing |-> 0, marker |-> "none"]
NoReply == [outcome |-> "none", fencing |-> 0, marker |-> "none"]
Idle(ghost, marker) == [phase |-> "idle", token |-> Nobody, left |-> 0, fencing |-> 0, age |-> 0, repeated |-> FALSE,
                        reply |-> NoReply, ghost |-> ghost, marker |-> marker]

Init ==
  LET marker == IF "FRESH" \in Faults THEN NoMarker ELSE [NoMarker EXCEPT !.id = "gone", !.age = OldAge]
      old == [Unused EXCEPT !.marker = marker] IN
  /\ server = [master |-> old, replica |-> old, deposed |-> Unused] /\ writable = -1
  /\ client = [c \in Clients |-> Idle(NoCommand, marker.id)] /\ highest = Forgotten /\ disordered = FALSE

--------------------------------------------------------------------------------------------------------------------
\* The scripts, as functions of a server s. A caller knows a marker.
Young(s, age) == "NO_GUARD" \notin Variations /\ s.marker.age < age
WithNote(s, known) == IF s.marker.id = known /\ "NO_GUARD" \notin Variations THEN [s EXCEPT !.note = known] ELSE s
Free(s) == [s EXCEPT !.owner = Nobody, !.expiry = 0, !.held = NoFence]
Granted(s, token, fencing) == [s EXCEPT !.owner = token, !.expiry = Lease, !.held = fencing]

Look(s, known) ==
  LET unused == s.marker = NoMarker /\ known = "none" /\ (~s.promoted \/ "TRUSTING_FIRST_USE" \in Variations)
      contradicts == s.marker.first /\ known \notin {"none", s.marker.id} /\ "FIRST_USE_FOR_ALL" \notin Variations
      begun == [id |-> "new", age |-> IF unused THEN OldAge ELSE 0, first |-> unused, foreign |-> FALSE]
      old == "NO_GUARD" \in Variations \/ ~(s.marker = NoMarker \/ s.marker.foreign \/ contradicts)
      looked == IF old THEN s ELSE [s EXCEPT !.marker = begun]
      notes == IF Young(looked, Grace) THEN "NOTE_OF_YOUNG_HISTORY" ELSE "NOTE_OF_ANY_LOOK"
  IN IF notes \in Variations THEN WithNote(looked, known) ELSE looked
\* Whether free locks are granted, and the server that has looked, or relies on its note; also with the next token.
Asked(s, known) ==
  LET looked == Look(s, known)
      fenced == WithNote([looked EXCEPT !.fence = Max(@ + 1, 0)], known)
  IN IF s.note # "none" /\ (s.note = known \/ "NOTE_FOR_ALL" \in Variations)
     THEN [open |-> TRUE, looked |-> s, next |-> [s EXCEPT !.fence = @ + 1], known |-> known]
     ELSE [open |-> ~Young(looked, Grace), looked |-> looked, next |-> fenced, known |-> looked.marker.id]

Answer(s, outcome, marker, fencing, new) ==
  [server |-> s, new |-> new, reply |-> [outcome |-> outcome, fencing |-> fencing, marker |-> marker]]
Says(s, outcome) == Answer(s, outcome, s.marker.id, 0, FALSE)
Acquired(s, r) == LET asked == Asked(s, r.marker) IN
  IF s.owner = r.token THEN Answer(asked.looked, "granted", asked.known, s.held, FALSE)
  ELSE IF s.owner # Nobody \/ ~asked.open THEN Answer(asked.looked, "refused", asked.known, 0, FALSE)
  ELSE Answer(Granted(asked.next, r.token, asked.next.fence), "granted", asked.known, asked.next.fence, TRUE)
Renewed(asked, r) == LET s == Look(asked, r.marker) IN
  IF Young(s, Quiet) THEN Says(s, "deferred")
  ELSE IF s.owner = r.token THEN Says([s EXCEPT !.expiry = Max(@, Lease)], "renewed")
  ELSE IF ~Young(s, Grace) \/ s.owner # Nobody THEN Says(s, "lost")
  ELSE Says([Granted(s, r.token, r.fencing) EXCEPT !.fence = Max(@, r.fencing)], "renewed")
Executed(s, r) == CASE r.verb = "acquire" -> Acquired(s, r)
                    [] r.verb = "renew" -> Renewed(s, r)
                    [] r.verb = "release" -> Says(IF s.owner = r.token THEN Free(s) ELSE s, "released")

--------------------------------------------------------------------------------------------------------------------
\* A client c.
Awaits(c) == c.phase \in {"acquiring", "renewing"}
Asks(c) == Awaits(c) /\ c.reply = NoReply
Command(c) == [verb |-> IF c.phase = "acquiring" THEN "acquire" ELSE "renew", token |-> c.token,
               fencing |-> c.fencing, marker |-> c.marker]
Ghost(c) == IF Asks(c) THEN Command(c) ELSE c.ghost
\* It awaits nothing any more.
Settled(c) == IF c.left <= 0 THEN Idle(c.ghost, c.marker)
              ELSE [c EXCEPT !.phase = "holding", !.age = 0, !.repeated = FALSE, !.reply = NoReply]
\* A lease counts from before the command was sent.
Receives(c) ==
  LET left == CASE c.reply.outcome \in {"granted", "renewed"} -> Max(c.left, Lease - c.age)
                [] c.reply.outcome = "deferred" -> c.left [] OTHER -> 0
  IN Settled([c EXCEPT !.left = left, !.marker = c.reply.marker,
                       !.fencing = IF c.reply.outcome = "granted" THEN c.reply.fencing ELSE @])
\* An acquire ends when its grant would be over, a hold at its deadline.
ClientTick(c) ==
  LET late == c.phase = "acquiring" \/ (c.phase = "renewing" /\ "LATE_REPLIES" \in Variations)
      older == [c EXCEPT !.left = Max(@ - 1, 0), !.age = IF Awaits(c) THEN @ + 1 ELSE 0,
                  !.fencing = IF c.phase \in {"holding", "renewing"} THEN Older(@) ELSE 0,
                  !.reply.fencing = IF c.reply.outcome = "granted" THEN Older(@) ELSE @,
                  !.ghost.fencing = IF c.ghost.verb = "renew" THEN Older(@) ELSE @]
  IN IF older.left = 0 /\ (~late \/ older.age = Lease) THEN Settled([older EXCEPT !.ghost = Ghost(older)]) ELSE older
ServerTick(s) ==
  LET older == [s EXCEPT !.expiry = @ - 1, !.held = Older(@), !.fence = Older(@), !.note = "none",
                  !.marker.age = IF s.marker = NoMarker \/ s.marker.foreign \/ @ = OldAge THEN @ ELSE @ + 1]
  IN IF s.expiry <= 1 THEN Free(older) ELSE older

--------------------------------------------------------------------------------------------------------------------
\* The world w with one name for each lock token and marker that can still have an effect, and with no other names.
Token(w, token) ==
  IF token \in {Nobody, Dead} THEN token ELSE IF w.client[token[1]].token = token THEN <<token[1], "current">>
  ELSE IF w.client[token[1]].ghost.token = token THEN <<token[1], "earlier">> ELSE Dead
\* Clients compare only markers of a first use with their own.
Marker(w, id) ==
  LET Is(s) == w.server[s].marker.first /\ w.server[s].marker.id = id IN
  IF id \in {"none", "gone"} THEN id
  ELSE IF Is("master") THEN "master" ELSE IF Is("replica") THEN "replica" ELSE IF Is("deposed") THEN "deposed"
  ELSE IF id = w.server["master"].note THEN "noted" ELSE IF id = w.server["deposed"].note THEN "was noted" ELSE "gone"
Become(w) ==
  LET Alike(fencing, any) == IF Fencing THEN fencing ELSE any
      IsVain(r) == r.verb = "release" /\ \A s \in DOMAIN w.server : w.server[s].owner # r.token
      Named(r) == [r EXCEPT !.token = Token(w, @), !.marker = Marker(w, @), !.fencing = Alike(@, 0)]
  IN /\ server' = [s \in DOMAIN w.server |-> [w.server[s] EXCEPT !.owner = Token(w, @), !.marker.id = Marker(w, @),
                     !.note = Marker(w, @), !.held = Alike(@, NoFence), !.fence = Alike(@, Forgotten)]]
     /\ client' = [c \in Clients |-> [Named(w.client[c]) EXCEPT !.reply.marker = Marker(w, @),
                     !.reply.fencing = Alike(@, 0), !.ghost = IF IsVain(@) THEN NoCommand ELSE Named(@)]]
     /\ writable' = w.writable /\ highest' = Alike(w.highest, Forgotten) /\ disordered' = (Fencing /\ w.disordered)
Does(c, after) == Become([World EXCEPT !.client[c] = after])

--------------------------------------------------------------------------------------------------------------------
\* Time passes for all.
Tick == LET goesOn == writable > 0 IN Become([World EXCEPT
  !.server = [s \in DOMAIN @ |-> IF s = "deposed" /\ ~goesOn THEN Unused ELSE ServerTick(@[s])],
  !.writable = IF goesOn THEN @ - 1 ELSE -1, !.client = [c \in Clients |-> ClientTick(@[c])], !.highest = Older(@)])
\* The replica catches up with the master.
Replicate == Become([World EXCEPT !.server["replica"] =
  [server["master"] EXCEPT !.note = IF "NOTE_ON_REPLICA" \in Variations THEN @ ELSE "none"]])
\* A sentinel promotes the replica, or the master restarts with its data of an earlier time.
Failover ==
  LET new == [server["replica"] EXCEPT !.promoted = TRUE,
                !.marker = IF @ = NoMarker THEN @ ELSE [@ EXCEPT !.age = 0, !.foreign = TRUE]]
  IN "FAILOVER" \in Faults /\ Become([World EXCEPT !.writable = Window,
       !.server = [master |-> new, replica |-> new, deposed |-> @["master"]]])
\* An operator deletes the data of the master.
Flush == "FLUSH" \in Faults /\ LET m == server["master"] IN Become([World EXCEPT !.server["master"] =
  [Unused EXCEPT !.promoted = m.promoted, !.note = IF "NOTE_OUTLIVES_DATA" \in Variations THEN m.note ELSE @]])
\* The master restarts without data, and its replica follows.
EmptyRestart == "EMPTY_RESTART" \in Faults /\
  Become([World EXCEPT !.server["master"] = Unused, !.server["replica"] = Unused])
\* A client that knows the master's marker, or none, asks the master for another lock.
Newcomer == LET asked == Asked(server["master"], server["master"].marker.id) IN
  /\ "NEWCOMER" \in Faults /\ (asked.open => asked.next.fence < 2)
  /\ Become([World EXCEPT !.server["master"] = IF asked.open THEN asked.next ELSE asked.looked])

\* A client sends an acquire, a renewal, or a release, which it does not await.
Acquire(c) == client[c].phase = "idle" /\ Does(c, [client[c] EXCEPT !.phase = "acquiring", !.token = <<c, "new">>])
Renew(c) == client[c].phase = "holding" /\ Does(c, [client[c] EXCEPT !.phase = "renewing"])
Release(c) == client[c].left > 0 /\
  Does(c, Idle([NoCommand EXCEPT !.verb = "release", !.token = client[c].token], client[c].marker))
\* A client receives the answer that is under way.
Receive(c) == client[c].reply # NoReply /\ Does(c, Receives(client[c]))
\* A client awaits its command no longer, which may still be executed (then no earlier one is), or is lost.
GiveUp(c) == Awaits(client[c]) /\
  \E ghost \in {client[c].ghost, Ghost(client[c])} : Does(c, Settled([client[c] EXCEPT !.ghost = ghost]))
\* A client is started anew, and knows nothing.
Restart(c) == "CLIENT_RESTART" \in Faults /\ Does(c, Idle(Ghost(client[c]), "none"))

\* The world when a server has executed a command, whether or not the client ever learns of it.
After(at, answer) == [World EXCEPT !.server[at] = answer.server,
  !.highest = IF answer.new THEN Max(@, answer.reply.fencing) ELSE @,
  !.disordered = @ \/ (answer.new /\ answer.reply.fencing <= highest)]
\* A server executes the awaited command. The answer arrives, at once or later, or is lost and the command sent again.
Execute(c, at) ==
  LET answer == Executed(server[at], Command(client[c]))
      told == [client[c] EXCEPT !.reply = answer.reply, !.repeated = FALSE]
      delays == "LATE_ANSWER" \in Faults /\ answer.reply.outcome \in {"granted", "renewed"}
      after == After(at, answer)
  IN /\ Asks(client[c]) /\ answer.reply.fencing < 2
     /\ \/ Become([after EXCEPT !.client[c] = IF delays THEN told ELSE Receives(told)])
        \/ ~client[c].repeated /\ Become([after EXCEPT !.client[c].repeated = TRUE])
\* A server executes a command that its client has given up.
ExecuteGhost(c, at) == client[c].ghost # NoCommand /\ LET answer == Executed(server[at], client[c].ghost) IN
  answer.reply.fencing < 2 /\ Become([After(at, answer) EXCEPT !.client[c].ghost = NoCommand])

Next == Tick \/ Replicate \/ Failover \/ Flush \/ EmptyRestart \/ Newcomer \/ \E c \in Clients :
  \/ Acquire(c) \/ Renew(c) \/ Release(c) \/ Receive(c) \/ GiveUp(c) \/ Restart(c)
  \/ \E at \in {"master"} \cup (IF writable < 0 THEN {} ELSE {"deposed"}) : Execute(c, at) \/ ExecuteGhost(c, at)

\* I1: no two clients hold the lock.
Exclusion == \A c, d \in Clients : client[c].left = 0 \/ client[d].left = 0 \/ c = d
\* I2: fencing tokens grow from grant to grant.
FencingGrows == ~disordered
\* Worlds that differ in which client is which are one.
Symmetry == Permutations(Clients)
====================================================================================================================
