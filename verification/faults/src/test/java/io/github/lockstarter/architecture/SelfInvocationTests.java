package io.github.lockstarter.architecture;

import static com.tngtech.archunit.library.ProxyRules.no_classes_should_directly_call_other_methods_declared_in_the_same_class_that_are_annotated_with;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import io.github.lockstarter.DistributedLock;
import org.junit.jupiter.api.Test;

/** The rule that docs/testing.md recommends finds a call that bypasses the proxy. */
class SelfInvocationTests {

    private static final ArchRule RULE =
            no_classes_should_directly_call_other_methods_declared_in_the_same_class_that_are_annotated_with(
                    DistributedLock.class);

    static class Orders {

        @DistributedLock(name = "order", key = "#orderId")
        public long ship(long orderId) {
            return orderId;
        }
    }

    static class CallsAnotherBean {

        private final Orders orders = new Orders();

        public long shipFirst() {
            return orders.ship(1);
        }
    }

    static class CallsItself extends Orders {

        @DistributedLock(name = "order", key = "#orderId")
        @Override
        public long ship(long orderId) {
            return orderId;
        }

        public long shipFirst() {
            return ship(1);
        }
    }

    @Test
    void findsACallThroughThis() {
        EvaluationResult result = RULE.evaluate(new ClassFileImporter().importClasses(CallsItself.class));
        assertThat(result.getFailureReport().getDetails())
                .singleElement()
                .asString()
                .contains("shipFirst()", "ship(long)");
    }

    @Test
    void allowsACallOfAnotherBean() {
        EvaluationResult result =
                RULE.evaluate(new ClassFileImporter().importClasses(CallsAnotherBean.class, Orders.class));
        assertThat(result.hasViolation()).isFalse();
    }
}
