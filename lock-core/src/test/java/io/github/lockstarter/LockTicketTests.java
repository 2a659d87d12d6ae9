package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "4",
                " (detached)",
                "|1700 main (detached)@a/b",
                "9abcdef0123456789abcdef:4611686018427387904|1700 main (detached)@a/b",
                "0123456789ABCDEF0123456789abcdef:1",
                "0123456789abcdef0123456789abcdef:",
                "0123456789abcdef0123456789abcdef:0",
                "0123456789abcdef0123456789abcdef:1|1700 a:b",
                "0123456789abcdef0123456789abcdef:1|1700 main|300",
                "7 0123456789abcdef0123456789abcdef:1",
                "%kept"
            })
    void refusesTokensOfAnotherForm(String token) {
        assertRefused(token, 42);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, (1L << 53) - 1, 1L << 53, Long.MAX_VALUE})
    void refusesFencingTokensThatNoHoldCanExceed(long fencingToken) {
        assertRefused(SECRET, fencingToken);
    }

    @Test
    void takesTheGreatestFencingTokenThatAHoldCanExceed() {
        assertThat(new LockTicket("ship", "order:42", SECRET, (1L << 53) - 2).fencingToken())
                .isPositive();
    }

    /** The text of a forged ticket, too. */
    private static void assertRefused(String token, long fencingToken) {
        assertThatThrownBy(() -> new LockTicket("ship", "order:42", token, fencingToken))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The token of this lock ticket has another form than those of detached locks; make tickets"
                        + " by LockHandle.detach() and LockTicket.of() only");
        assertThatThrownBy(() -> LockTicket.of(textOf(token, fencingToken)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("This text is no lock ticket");
    }

    private static String textOf(String token, long fencingToken) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(1);
            out.writeUTF("ship");
            out.writeUTF("order:42");
            out.writeUTF(token);
            out.writeLong(fencingToken);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    }

    /** Whatever is configured for the name. */
    @Test
    void aReleaseAttachesWithoutMinimumHoldAndMayComeBeforeTheCommit() {
        List<LockRequest> requests = new ArrayList<>();
        LockSource source = (LockSource) Proxy.newProxyInstance(
                LockSource.class.getClassLoader(), new Class<?>[] {LockSource.class}, (proxy, method, arguments) -> {
                    requests.add((LockRequest) arguments[0]);
                    throw new LockLostException("order:42", "used");
                });
        LockTicket ticket = new LockTicket("ship", "order:42", SECRET, 42);

        assertThat(new LockTemplate(source).release(ticket)).isEqualTo(ReleaseOutcome.LOST);

        assertThat(requests).singleElement().satisfies(request -> {
            assertThat(request.ticket()).contains(ticket);
            assertThat(request.terms().minHold()).contains(Duration.ZERO);
            assertThat(request.inTransaction()).isEqualTo(InTransaction.RELEASE);
        });
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
