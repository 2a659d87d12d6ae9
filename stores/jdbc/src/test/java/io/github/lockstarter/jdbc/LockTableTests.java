package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockTableTests {

    @Test
    void acceptsANameWithASchema() {
        LockTable table = new LockTable("Shop.order_locks");

        assertThat(table.numbers()).isEqualTo("Shop.order_locks_fencing");
        assertThat(table.channel()).isEqualTo("shop_order_locks");
    }

    @Test
    void quotesASchemaThatWasNotConfigured() {
        LockTable table = LockTable.DEFAULT.in("Tenant-1", '`');

        assertThat(table.name()).isEqualTo("`Tenant-1`.distributed_lock");
        assertThat(table.numbers()).isEqualTo("`Tenant-1`.distributed_lock_fencing");
        assertThat(table.channel()).isEqualTo("tenant_1_distributed_lock");
        assertThat(new LockTable("shop.order_locks").in("other", '"').name()).isEqualTo("shop.order_locks");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a b", "a;drop table b", "a.b.c", "\"a\"", "1a", "a'", "a--", "\"a\".\"b\"", "\"a'\".b"})
    void refusesWhatIsNoPlainIdentifier(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LockTable(name))
                .withMessageContaining("distributed-lock.jdbc.table")
                .withMessageContaining("'" + name + "'");
    }

    @Test
    void hidesThePasswordOfAUrl() {
        assertThat(JdbcDatabase.target("jdbc:postgresql://eve:secret@db:5432/shop?password=secret"))
                .isEqualTo("postgresql://db:5432/shop");
        assertThat(JdbcDatabase.target("jdbc:h2:mem:shop;PASSWORD=secret")).isEqualTo("h2:mem:shop");
    }
}
