package io.github.lockstarter.sample.redis;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches when {@code spring.data.redis.*} names one server and nothing listens there. Looks once per start. */
class OnAbsentRedisCondition extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConfiguredRedis configured = ConfiguredRedis.in(context.getEnvironment());
        ConditionMessage.Builder message = ConditionMessage.forCondition("Absent Redis");
        return configured.isAbsent()
                ? ConditionOutcome.match(message.because("nothing listens on " + configured.description()))
                : ConditionOutcome.noMatch(message.because("using " + configured.description()));
    }
}
