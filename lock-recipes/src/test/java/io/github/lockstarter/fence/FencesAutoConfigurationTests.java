package io.github.lockstarter.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class FencesAutoConfigurationTests {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(FencesAutoConfiguration.class));

    private final ApplicationContextRunner withBoth = application
            .withBean(DataSource.class, DriverManagerDataSource::new)
            .withBean(StringRedisTemplate.class, () -> new StringRedisTemplate(mock(RedisConnectionFactory.class)));

    @Test
    void createsFencesForTheDatabaseAndRedisOfTheApplication() {
        withBoth.run(context -> assertThat(context).hasSingleBean(Fences.class).hasSingleBean(RedisFences.class));
        application.run(
                context -> assertThat(context).doesNotHaveBean(Fences.class).doesNotHaveBean(RedisFences.class));
    }

    @Test
    void createsNoFencesForSeveralDatabases() {
        withBoth.withBean("other", DataSource.class, DriverManagerDataSource::new)
                .run(context -> assertThat(context).doesNotHaveBean(Fences.class));
    }

    @Test
    void createsNoFencesWithoutTheLibraries() {
        withBoth.withClassLoader(new FilteredClassLoader(JdbcTemplate.class, StringRedisTemplate.class))
                .run(context ->
                        assertThat(context).doesNotHaveBean(Fences.class).doesNotHaveBean(RedisFences.class));
    }

    @Test
    void createsNoFencesIfLocksAreDisabled() {
        withBoth.withPropertyValues("distributed-lock.enabled=false")
                .run(context ->
                        assertThat(context).doesNotHaveBean(Fences.class).doesNotHaveBean(RedisFences.class));
    }

    @Test
    void backsOffFromFencesOfTheApplication() {
        Fences own = new Fences(new DriverManagerDataSource());

        withBoth.withBean(Fences.class, () -> own)
                .run(context -> assertThat(context.getBean(Fences.class)).isSameAs(own));
    }
}
