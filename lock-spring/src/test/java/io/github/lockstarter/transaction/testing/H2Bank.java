package io.github.lockstarter.transaction.testing;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/** A {@link Bank} on a new H2 database in memory, which is closed with the context. */
@Configuration(proxyBeanMethods = false)
@Import(Bank.class)
public class H2Bank {

    @Bean
    @Primary
    EmbeddedDatabase database() {
        return newDatabase();
    }

    public static EmbeddedDatabase newDatabase() {
        return new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .build();
    }
}
