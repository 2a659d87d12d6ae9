------------------------------------------------- MODULE TakeOver --------------------------------------------------
(* Crash take-over of docs/design.md: a lock's holder, its beats and commands, takers, servers.                       *)
(* CrashTakeOverModel is the same transition system in Java: equal bounds give equal numbers of distinct states.      *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS T,    \* take-over time, in ticks, as all times
  Lease,        \* of each acquire and renewal
  Window,       \* w: how long a deposed master executes writes
  Left, Faults  \* rules that are left out (controls), and faults that happen, by their names in Java

VARIABLES server,  \* 1: the first master; 2: its replica, or its saved data, of any earlier time, and the next master
  age, writes,     \* time since the promotion or restart, or -1; for how long the deposed master writes, then -1
  acked,           \* control: takers know that some trace is acknowledged, and do not compare which
  heart, beats,    \* the holder's knowledge by its beats; beats under way, in the order of sending
  hold             \* the holder's hold, with its command under way, and for how long a taker has the lock
World == [server |-> server, age |-> age, writes |-> writes, acked |-> acked, heart |-> heart, beats |-> beats,
          hold |-> hold]

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Restarts == Faults \cap {"RESTART", "MASTER_RESTART"} # {}
Acknowledged == Faults \cap {"FAILOVER", "MASTER_RESTART"} # {}  \* tokens end with a plus sign
MarkAge == IF "TAKER_WAITS_T" \in Left THEN T - 1 ELSE T         \* from which age on a mark allows a take-over
MarkLife == T + 1
TraceLife == Lease + MarkLife - T - (IF "TRACE_OUTLIVES_LEASES" \in Left THEN 1 ELSE 0)
TakerLease == IF "NEW_HOLDS" \in Faults THEN Lease ELSE 0        \* without new holds, hadTaker is enough

Free == [owner |-> "nobody", left |-> 0]
NoMark == [begin |-> 0, age |-> 0, acked |-> FALSE]
NoTrace == [begin |-> 0, left |-> 0]
Empty == [lock |-> Free, mark |-> NoMark, trace |-> NoTrace]
NoRequest == [age |-> -1, period |-> 0, history |-> 0, answerer |-> 0]
NoHold == [left |-> 0, confirmed |-> 0, hadTaker |-> FALSE, request |-> NoRequest, takerLeft |-> 0]

Init == LET period == IF "NEW_HOLDS" \in Faults THEN 1 ELSE 0 IN
  /\ server = <<[Empty EXCEPT !.lock = [owner |-> "holder", left |-> Lease]], Empty>>
  /\ age = -1 /\ writes = Window /\ acked = FALSE /\ beats = <<>>
  /\ heart = [age |-> 0, history |-> 1, trace |-> 0, period |-> period, traced |-> 0, voids |-> 0]
  /\ hold = [NoHold EXCEPT !.left = Lease, !.confirmed = period]

--------------------------------------------------------------------------------------------------------------------
UnderWay(h) == h.request.age >= 0
\* The hold when the answer to its command arrives, which was granted.
Confirmed(w) == LET r == w.hold.request
                    read == IF "PERIOD_READ_BEFORE_SENDING" \in Left THEN w.heart.period ELSE r.period
                    renewed == r.answerer = r.history /\ read = w.heart.period
                    extends == "RENEWAL_OFF" \notin Faults /\ (renewed \/ "LEASE_IS_OF_HISTORY" \in Left)
                    confirms == IF w.hold.left > 0 THEN renewed \/ "RENEWAL_IS_OF_HISTORY" \in Left
                                ELSE r.answerer = r.history \/ "GRANT_IS_OF_HISTORY" \in Left
  IN [w.hold EXCEPT !.left = IF @ = 0 \/ extends THEN Max(@, Lease - r.age) ELSE @,
                    !.confirmed = IF confirms THEN Max(@, read) ELSE @, !.request = NoRequest]
\* The holder has left its hold; servers may still have the token.
Without(w) == LET Former(s) == IF s.lock.owner = "holder" THEN [s EXCEPT !.lock.owner = "former"] ELSE s IN
  [w EXCEPT !.server = <<Former(@[1]), Former(@[2])>>, !.hold = [NoHold EXCEPT !.takerLeft = w.hold.takerLeft]]

\* A mark's begin is named after the first place that has it.
Begin(w, b) ==
  IF b = 0 THEN 0
  ELSE IF b = w.server[1].mark.begin THEN 1 ELSE IF b = w.server[1].trace.begin THEN 2
  ELSE IF b = w.server[2].mark.begin THEN 3 ELSE IF b = w.server[2].trace.begin THEN 4
  ELSE IF b = w.heart.trace THEN 5 ELSE IF b = w.beats[1].trace THEN 6 ELSE 7
\* Periods that matter are numbered from 0 on.
Low(w, period) == LET If(matters, p) == IF matters THEN p ELSE w.heart.period IN
  Cardinality({p \in {w.heart.period, If(w.hold.left > 0, w.hold.confirmed), If("NEW_HOLDS" \in Faults, 0),
                      If(UnderWay(w.hold), w.hold.request.period)} : p < period})
\* The next world is like this one. A void hold is as good as left; an answer that would change nothing, as lost.
Become(like) == LET without == [like.hold EXCEPT !.request = NoRequest]
                    vain == like.hold.left > 0 /\ like.hold.request.answerer # 0 /\ Confirmed(like) = without
                    w == IF like.hold.left > 0 /\ like.hold.confirmed < like.heart.voids THEN Without(like)
                         ELSE IF vain /\ "LATE_EXECUTION" \notin Faults THEN [like EXCEPT !.hold = without] ELSE like
  IN /\ w.hold.left > 0 \/ "NEW_HOLDS" \in Faults
     /\ server' = [s \in 1..2 |-> [w.server[s] EXCEPT !.mark.begin = Begin(w, @), !.trace.begin = Begin(w, @)]]
     /\ heart' = [w.heart EXCEPT !.trace = Begin(w, @), !.period = Low(w, @), !.traced = Low(w, @), !.voids = Low(w, @)]
     /\ beats' = [i \in DOMAIN w.beats |-> [w.beats[i] EXCEPT !.trace = Begin(w, @)]]
     /\ hold' = [w.hold EXCEPT !.confirmed = Low(w, @), !.request.period = Low(w, @)]
     /\ age' = w.age /\ writes' = w.writes /\ acked' = w.acked

--------------------------------------------------------------------------------------------------------------------
Promoted == age >= 0
Executing == (IF writes >= 0 THEN {1} ELSE {}) \cup (IF Promoted THEN {2} ELSE {})
Young(s) == s = 2 /\ age < Lease + Window  \* the history is younger than the grace
Quiet(s) == s = 2 /\ age < Window          \* no renewals yet

\* Time passes for all.
ServerTick(s) == LET lives == s.mark.age < MarkLife \/ "MARK_EXPIRES" \in Left IN
  [lock |-> IF s.lock.left = 0 THEN s.lock ELSE IF s.lock.left = 1 THEN Free ELSE [s.lock EXCEPT !.left = @ - 1],
   mark |-> IF s.mark = NoMark \/ ~lives THEN NoMark ELSE [s.mark EXCEPT !.age = Min(@ + 1, MarkLife)],
   trace |-> IF s.trace.left <= 1 THEN NoTrace ELSE [s.trace EXCEPT !.left = @ - 1]]
Tick == LET goesOn == writes > 0 \/ (writes = 0 /\ ~Promoted)
            later == [hold EXCEPT !.left = Max(@ - 1, 0), !.takerLeft = Max(@ - 1, 0),
                        !.request = IF @.age \in {-1, Lease - 1} THEN NoRequest ELSE [@ EXCEPT !.age = @ + 1]]
            w == [World EXCEPT !.server = <<IF goesOn THEN ServerTick(@[1]) ELSE Empty, ServerTick(@[2])>>,
                    !.age = IF Promoted THEN Min(@ + 1, Lease + Window) ELSE @,
                    !.writes = IF ~Promoted THEN @ ELSE IF goesOn THEN @ - 1 ELSE -1, !.heart.age = Min(@ + 1, T),
                    !.beats = [i \in DOMAIN @ |-> [@[i] EXCEPT !.age = Min(@ + 1, T)]], !.hold = later]
  IN Become(IF hold.left = 1 \/ (later.left = 0 /\ UnderWay(hold) /\ ~UnderWay(later)) THEN Without(w) ELSE w)

\* The holder sends a beat; a server executes the i-th of these under way, perhaps not for the first time.
Beats(under, i) == \E s \in Executing : Become([World EXCEPT
  !.beats = [under EXCEPT ![i].history = s, ![i].trace = server[s].trace.begin],
  !.server[s].mark = IF "BEAT_DELETES_MARK" \in Left THEN @ ELSE NoMark])
SendBeat == LET more == Append(beats, [age |-> 0, history |-> 0, trace |-> 0]) IN
  /\ Len(beats) < IF "TWO_BEATS" \in Faults THEN 2 ELSE 1
  /\ IF "LATE_EXECUTION" \in Faults THEN Become([World EXCEPT !.beats = more]) ELSE Beats(more, Len(more))
ExecuteBeat(i) == "LATE_EXECUTION" \in Faults /\ Beats(beats, i)
\* The holder receives the answer to a beat, and ignores those to earlier ones from now on.
ReceiveBeat(i) == LET b == beats[i]
                      otherHistory == b.history # heart.history /\ "HISTORY_CHANGES_PERIOD" \notin Left
                      otherTrace == b.trace # heart.trace /\ "TRACE_CHANGES_PERIOD" \notin Left
                      period == IF otherHistory \/ otherTrace THEN heart.period + 1 ELSE heart.period
                      traced == IF b.trace \notin {0, heart.trace} THEN period ELSE heart.traced
                      forgets == IF Acknowledged THEN Restarts /\ b.history = 2 /\ "VOID_RESTARTED" \notin Left
                                 ELSE "VOID_UNACKED" \notin Left
                      voids == IF b.history = heart.history THEN 0 ELSE IF forgets /\ heart.age >= T THEN period
                               ELSE IF "VOID_TRACED" \in Left THEN 0 ELSE traced
  IN b.history # 0 /\ Become([World EXCEPT !.beats = SubSeq(@, i + 1, Len(@)), !.heart =
       [age |-> IF "BEAT_COUNTS_FROM_SENDING" \in Left THEN 0 ELSE b.age, history |-> b.history, trace |-> b.trace,
        period |-> period, traced |-> traced, voids |-> Max(@.voids, voids)]])
LoseBeat(i) == Become([World EXCEPT !.beats = SubSeq(@, 1, i - 1) \o SubSeq(@, i + 1, Len(@))])

\* The holder sends a renewal, or an acquire if it has no hold. A server executes it, perhaps not for the first time.
Executes(w) == \E s \in Executing :
  LET lock == server[s].lock
      exists == w.hold.left > 0
      isFree == lock.owner = "nobody"
      left == IF ~exists THEN IF isFree THEN Lease ELSE lock.left
              ELSE IF "RENEWAL_OFF" \in Faults THEN Max(lock.left, 1) ELSE Lease
  IN IF ~(exists /\ Quiet(s)) /\ (lock.owner = "holder" \/ (isFree /\ exists = Young(s)))
     THEN Become([w EXCEPT !.server[s].lock = [owner |-> "holder", left |-> left],
                           !.hold.hadTaker = exists /\ @, !.hold.request.answerer = s])
     ELSE exists /\ lock.owner # "holder" /\ "NEW_HOLDS" \in Faults /\ Become(Without(w))
Send == LET request == [age |-> 0, period |-> heart.period, history |-> heart.history, answerer |-> 0]
            sent == [World EXCEPT !.hold.request = request]
        IN /\ ~UnderWay(hold) /\ (hold.left > 0 \/ "NEW_HOLDS" \in Faults)
           /\ IF "LATE_EXECUTION" \in Faults THEN Become(sent) ELSE Executes(sent)
Execute == UnderWay(hold) /\ "LATE_EXECUTION" \in Faults /\ Executes(World)
Receive == hold.request.answerer # 0 /\ Become([World EXCEPT !.hold = Confirmed(World)])
GiveUp == UnderWay(hold) /\ Become(IF hold.left > 0 THEN [World EXCEPT !.hold.request = NoRequest] ELSE Without(World))
\* The holder releases the lock; a server executes that at any time.
Release == "NEW_HOLDS" \in Faults /\ hold.left > 0 /\ Become(Without(World))
ExecuteRelease(s) == "NEW_HOLDS" \in Faults /\ server[s].lock.owner = "former" /\
  Become([World EXCEPT !.server[s].lock = Free])

--------------------------------------------------------------------------------------------------------------------
\* A taker looks at the owner at a server. Any look may find nobody on the mailbox.
Looks(s) == server[s].lock.owner \in {"holder", "former"} /\ (~Young(s) \/ "NO_TAKE_OVER_IN_GRACE" \in Left)
MayTake(s) == Looks(s) /\ server[s].mark # NoMark /\ server[s].mark.age >= MarkAge
Traced(s) == server[s].trace.begin = server[s].mark.begin \/ "TAKE_OVER_LEAVES_TRACE" \in Left
Traces(s) == [World EXCEPT !.server[s].trace =
  IF Traced(s) THEN @ ELSE [begin |-> server[s].mark.begin, left |-> TraceLife]]
WaitsForReplicas == Acknowledged /\ "TRACE_IS_ACKNOWLEDGED" \notin Left
Takes(w, s) == Become([w EXCEPT !.server[s].lock = [owner |-> "taker", left |-> 0],
  !.hold.hadTaker = hold.left > 0 \/ UnderWay(hold), !.hold.takerLeft = TakerLease])
Mark(s) == Looks(s) /\ server[s].mark = NoMark /\ Become([World EXCEPT !.server[s].mark = [age |-> 0, acked |-> acked,
  begin |-> IF "BEGIN_IS_GREATER_THAN_TRACE" \in Left /\ server[s].trace # NoTrace THEN server[s].trace.begin ELSE 8]])
Trace(s) == MayTake(s) /\ WaitsForReplicas /\ ~Traced(s) /\ Become(Traces(s))
\* The trace is written once more as it is, and every replica has got this.
Acknowledge(s) ==
  LET has == IF ~Promoted /\ "FAILOVER" \in Faults THEN <<server[1], server[1]>> ELSE server
      told == [i \in 1..2 |-> [has[i] EXCEPT !.mark.acked = @ \/ has[i].mark.begin = server[s].mark.begin]]
  IN /\ MayTake(s) /\ WaitsForReplicas /\ Traced(s) /\ ~server[s].mark.acked
     /\ s = 2 \/ ~Promoted \/ "ALL_REPLICAS_ACKNOWLEDGE" \in Left
     /\ Become([World EXCEPT !.server = told, !.acked = "GRANT_COMPARES_ACKNOWLEDGED" \in Left])
TakeOver(s) == MayTake(s) /\ (WaitsForReplicas => Traced(s) /\ server[s].mark.acked) /\ Takes(Traces(s), s)
\* A taker acquires the free lock, releases its lock, or renews it.
AcquireFree(s) == ~Young(s) /\ server[s].lock.owner = "nobody" /\ Takes(World, s)
FreeTaken(s) == server[s].lock.owner = "taker" /\ Become([World EXCEPT !.server[s].lock = Free, !.hold.takerLeft = 0])
RenewTaken(s) == server[s].lock.owner = "taker" /\ hold.takerLeft > 0 /\ ~Quiet(s) /\
  Become([World EXCEPT !.hold.takerLeft = TakerLease])

\* The replica catches up, or the server saves its data.
Replicate == ~Promoted /\ ("FAILOVER" \in Faults \/ Restarts) /\ Become([World EXCEPT !.server[2] = server[1]])
Promote == ~Promoted /\ "FAILOVER" \in Faults /\ Become([World EXCEPT !.age = 0])
\* The server restarts, with its saved data or without.
Restart == ~Promoted /\ Restarts /\ \E data \in {server[2], Empty} :
  Become([World EXCEPT !.server = <<Empty, data>>, !.age = 0, !.writes = -1])

\* All that happens while the holder is silent.
Others == Tick \/ Replicate \/ Promote \/ Restart \/ \E s \in Executing :
  Mark(s) \/ Trace(s) \/ Acknowledge(s) \/ TakeOver(s) \/ AcquireFree(s) \/ FreeTaken(s) \/ RenewTaken(s)
Next == Others \/ SendBeat \/ (\E i \in DOMAIN beats : ExecuteBeat(i) \/ ReceiveBeat(i) \/ LoseBeat(i))
  \/ Send \/ Execute \/ Receive \/ GiveUp \/ Release \/ \E s \in Executing : ExecuteRelease(s)

\* No hold is certain while a taker has the lock, or has had it since the grant of the hold.
Certain == hold.left > 0 /\ hold.confirmed = heart.period /\ heart.age < T
Exclusion == Certain => ~hold.hadTaker /\ hold.takerLeft = 0
\* Violated where the lock is taken over before the lease of its hold is over.
NeverTakenOver == hold.left > 0 => ~hold.hadTaker
====================================================================================================================
