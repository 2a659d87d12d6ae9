package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockTableTests {

    @Test
    void acceptsANameWithASchema() {
        LockTable table = new LockTable("Shop.order_locks");

        assertThat(table.numbers()).isEqualTo("Shop.order_locks_fencing");
    }

    @Test
    void quotesASchemaThatWasNotConfigured() {
        LockTable table = LockTable.DEFAULT.in("Tenant-1", '`');

        assertThat(table.name()).isEqualTo("`Tenant-1`.distributed_lock");
        assertThat(table.numbers()).isEqualTo("`Tenant-1`.distributed_lock_fencing");
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

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://db:5432/shop?password=secret, postgresql://db:5432/shop",
        "'jdbc:postgresql://db1:5432,[::1]:5433/shop', 'postgresql://db1:5432,[::1]:5433/shop'",
        "jdbc:aws-wrapper:postgresql://db/shop, aws-wrapper:postgresql://db/shop",
        "jdbc:mysql://eve:secret@db:3306/shop, mysql://db:3306/shop",
        "jdbc:mysql://eve:1234/secret@db/shop, mysql",
        "jdbc:mysql://eve:1234/se?cret@db/shop, mysql",
        "'jdbc:mysql://(host=db,port=3306,user=eve,password=secret)/shop', mysql",
        "jdbc:mysql://address=(host=db)(password=secret)/shop, mysql",
        "jdbc:mysql:replication://eve:se:cret@(host=db)/shop, mysql",
        "jdbc:h2:mem:shop;PASSWORD=secret, h2:mem:shop",
        "jdbc:h2:~/shop, h2:~/shop"
    })
    void showsNoPasswordOfAUrl(String url, String shown) {
        assertThat(JdbcDatabase.target(url)).isEqualTo(shown);
    }
}
