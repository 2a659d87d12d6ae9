/**
 * The fault lab: real servers, real worker JVMs that use locks on many threads, a proxy on every link, and a nemesis
 * that injects faults by a seeded schedule. All events are logged with one clock and checked afterwards.
 *
 * <p>In reading order: {@code FaultLab} runs one session of a {@code LabPlan} and checks it; {@code topology} has the
 * servers, {@code worker} the JVM under test, {@code nemesis} the faults; {@code kit.event} defines the log, and {@code
 * kit.check} finds violations in it; {@code LabReport} reports them.
 *
 * <ul> <li>{@code FaultLabIT}: short runs, with {@code -Pfull}. <li>{@code FaultLabControlsIT}: the same with a guard
 * disabled; each run must find violations. <li>{@code FaultRun}: a long run with a report, {@code mvn -Pfaults -pl
 * verification/faults -am -Dminutes=30 verify}, further {@code -Dseed=}, {@code -Dtopologies=standalone}, {@code
 * -Dclient=redisson}. </ul>
 *
 * <p>The seed determines the schedule of faults and the choices of the workers' threads, but not how the operating
 * system interleaves them: a run with the same seed has the same faults, but not always the same violation.
 *
 * <p>A kill -9 of a worker loses no event that a check needs: each event is passed to the operating system in one piece
 * before the action that it describes (a grant before the resource is accessed, a release before it is sent). Only
 * knowledge that the worker had not yet used is missing. A hold without an end ends with its worker or its lease.
 */
@NullMarked
package io.github.lockstarter.faults;

import org.jspecify.annotations.NullMarked;
