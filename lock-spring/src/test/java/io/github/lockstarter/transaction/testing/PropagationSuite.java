package io.github.lockstarter.transaction.testing;

import static io.github.lockstarter.transaction.testing.Bank.committedBalance;
import static io.github.lockstarter.transaction.testing.Bank.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.testing.LockRunner;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * Outcome of a call of a locked method by the propagation of the method, the value of {@code inTransaction}, and
 * whether its caller has a transaction.
 */
@ExtendWith(OutputCaptureExtension.class)
public abstract class PropagationSuite {

    private static final String CALLED_INSIDE = "is called inside a transaction of its caller";

    enum Outcome {
        /** Runs, and releases the lock when it returns. */
        RELEASES,
        /** As {@link #RELEASES}, with a warning. */
        WARNS,
        /** Runs, and the lock is held until the transaction of the caller has completed. */
        KEEPS,
        /** Does not run: the lock refuses the call. */
        REFUSES,
        /** Does not run: Spring refuses the call, and the lock is released. */
        INVALID
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {}

    /** An application with locks and a {@link Bank}. */
    protected abstract ApplicationContextRunner application();

    @ParameterizedTest(name = "{0}, transaction of the caller: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            # of the method | caller's | WARN     | REFUSE   | RELEASE_AFTER
            NONE            | yes      | WARNS    | REFUSES  | KEEPS
            REQUIRED        | yes      | WARNS    | REFUSES  | KEEPS
            SUPPORTS        | yes      | WARNS    | REFUSES  | KEEPS
            MANDATORY       | yes      | WARNS    | REFUSES  | KEEPS
            NESTED          | yes      | WARNS    | REFUSES  | KEEPS
            REQUIRES_NEW    | yes      | RELEASES | RELEASES | RELEASES
            NOT_SUPPORTED   | yes      | RELEASES | RELEASES | RELEASES
            NEVER           | yes      | INVALID  | INVALID  | INVALID
            NONE            | no       | RELEASES | RELEASES | RELEASES
            REQUIRED        | no       | RELEASES | RELEASES | RELEASES
            SUPPORTS        | no       | RELEASES | RELEASES | RELEASES
            MANDATORY       | no       | INVALID  | INVALID  | INVALID
            NESTED          | no       | RELEASES | RELEASES | RELEASES
            REQUIRES_NEW    | no       | RELEASES | RELEASES | RELEASES
            NOT_SUPPORTED   | no       | RELEASES | RELEASES | RELEASES
            NEVER           | no       | RELEASES | RELEASES | RELEASES
            """)
    void appliesTheInTransactionSettingToEachPropagation(
            String propagation,
            String callers,
            Outcome warn,
            Outcome refuse,
            Outcome releaseAfter,
            CapturedOutput output) {
        Map.of("warn", warn, "refuse", refuse, "release-after", releaseAfter)
                .forEach((behaviour, expected) -> application()
                        .withUserConfiguration(Transactions.class)
                        .withBean(Account.class)
                        .withPropertyValues("distributed-lock.in-transaction=" + behaviour)
                        .run(context -> {
                            int before = output.getAll().length();
                            if (callers.equals("yes")) {
                                inTransaction(context, transaction -> call(context, propagation, expected));
                            } else {
                                call(context, propagation, expected);
                            }
                            boolean ran = expected != Outcome.REFUSES && expected != Outcome.INVALID;
                            assertThat(committedBalance(context)).isEqualTo(ran ? 90 : 100);
                            assertThat(isHeld(context)).isFalse();
                            assertThat(output.getAll().substring(before).contains(CALLED_INSIDE))
                                    .as("warning with %s", behaviour)
                                    .isEqualTo(expected == Outcome.WARNS);
                        }));
    }

    private static void call(ApplicationContext context, String propagation, Outcome expected) {
        Outcome outcome = outcome(context.getBean(Account.class), propagation);
        Outcome observed = isHeld(context) ? Outcome.KEEPS : outcome;
        assertThat(observed).isEqualTo(expected == Outcome.WARNS ? Outcome.RELEASES : expected);
    }

    private static Outcome outcome(Account account, String propagation) {
        try {
            withdraw(account, propagation);
            return Outcome.RELEASES;
        } catch (IllegalTransactionStateException e) {
            return Outcome.INVALID;
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining(CALLED_INSIDE);
            return Outcome.REFUSES;
        }
    }

    private static void withdraw(Account account, String propagation) {
        switch (propagation) {
            case "NONE" -> account.withoutAnnotation();
            case "REQUIRED" -> account.required();
            case "SUPPORTS" -> account.supports();
            case "MANDATORY" -> account.mandatory();
            case "NESTED" -> account.nested();
            case "REQUIRES_NEW" -> account.requiresNew();
            case "NOT_SUPPORTED" -> account.notSupported();
            case "NEVER" -> account.never();
            default -> throw new IllegalArgumentException(propagation);
        }
    }

    private static boolean isHeld(ApplicationContext context) {
        return LockRunner.held(context).find(Account.LOCK).isPresent();
    }
}
