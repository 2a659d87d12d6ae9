package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockTicketTests {

    private static final String SECRET =
            "0123456789abcdef0123456789abcdef:4611686018427387904|1700 main (detached)@a/b";

    @ParameterizedTest
    @ValueSource(strings = {"order:42", "a\nb\0 {é}%💶", "lone \ud800", "order, 42"})
    void isReadFromItsText(String key) {
        LockTicket ticket = new LockTicket("ship", key, SECRET, 42);

        assertThat(LockTicket.of(ticket.text())).isEqualTo(ticket);
        assertThat(ticket.text()).matches("[A-Za-z0-9_-]+");
    }

    @Test
    void hidesItsSecret() {
        LockTicket ticket = new LockTicket("ship", "order:42", SECRET, 42);

        assertThat(ticket).hasToString("LockTicket[fencing token 42]");
        assertThat(LockRequest.ofTicket(ticket).toString()).doesNotContain(SECRET.substring(0, 32));
    }

    @Test
    void refusesOtherTextsWithoutRepeatingThem() {
        String text = new LockTicket("ship", "order:42", SECRET, 42).text();
        for (String other :
                List.of("", "order:42", text.substring(8), text.substring(0, 40), "Ag" + text.substring(2))) {
            assertThatThrownBy(() -> LockTicket.of(other))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("This text is no lock ticket")
                    .hasNoCause();
        }
    }

    @Test
    void aRequestForATicketIsForItsLockOnly() {
        LockRequest request = LockRequest.ofTicket(new LockTicket("ship", "order:42", SECRET, 42));

        assertThat(request.name()).isEqualTo("ship");
        assertThat(request.keys()).containsExactly("order:42");
        assertThatThrownBy(() -> request.withKeys(List.of("order:43")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The ticket of lock 'order:42' is not for 'order:43'");
    }
}
