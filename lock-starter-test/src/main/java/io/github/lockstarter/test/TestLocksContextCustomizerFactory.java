package io.github.lockstarter.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.TestPropertySourceUtils;

/** Sets the properties of {@link AutoConfigureTestLocks}. Discovered by Spring's test framework. */
final class TestLocksContextCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        AutoConfigureTestLocks annotation =
                TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureTestLocks.class);
        return annotation == null ? null : new TestLocksContextCustomizer(annotation.value());
    }

    /** Equal for equal stores, so that test classes share a cached context. */
    private record TestLocksContextCustomizer(AutoConfigureTestLocks.Store store) implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, store.properties());
        }
    }
}
