/**
 * The fault lab: real servers, real worker JVMs that use locks on many threads, every link through a proxy, and a
 * nemesis that breaks them by a seeded schedule. Everything is written down with one clock, and checked afterwards.
 *
 * <p>In reading order: {@code FaultLab} runs one session of a {@code LabPlan} and judges it; {@code topology} are the
 * servers, {@code worker} is the JVM under test, {@code nemesis} what goes wrong; of the kit, {@code kit.event} is
 * what is written down, and {@code kit.check} finds violations in it; {@code LabReport} reports them.
 *
 * <ul>
 *   <li>{@code FaultLabIT}: a short run in {@code mvn verify}.
 *   <li>{@code FaultLabControlsIT}: the same with a guard switched off; each must find violations.
 *   <li>{@code FaultRun}: a long run with a report,
 *       {@code mvn -Pfaults -pl verification/faults -am -Dminutes=30 verify},
 *       further {@code -Dseed=}, {@code -Dtopologies=standalone}, {@code -Dclient=redisson}.
 * </ul>
 *
 * <p>The seed decides the schedule of faults and what the workers' threads choose, not how the operating system
 * interleaves them: a run with the same seed meets the same faults, and not always the same violation.
 *
 * <p>What kill -9 of a worker loses: events are written before the act they tell of (a grant before the resource is
 * touched, a release before it is sent), each in one piece to the operating system. So what is missing is only what a
 * worker had learnt and not yet acted upon, and no check needs that. A hold without an end ends with its worker or its
 * lease.
 */
@NullMarked
package io.github.lockstarter.faults;

import org.jspecify.annotations.NullMarked;
