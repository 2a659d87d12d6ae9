package io.github.lockstarter.engine;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/** What can still end a {@link Hold}: the acquisition until its caller has taken the hold, and from then on the handles. */
sealed interface HoldClaim permits Acquisition, HoldHandle, HoldClaim.OfHandles {

    /** The hold's first handle; null if there is none yet, or none can be reached. */
    @Nullable
    HoldHandle first();

    /** The handles, for as long as the application can reach one of them: each of them keeps the first one reachable. */
    final class OfHandles extends WeakReference<HoldHandle> implements HoldClaim {

        OfHandles(HoldHandle first) {
            super(first);
        }

        @Override
        public @Nullable HoldHandle first() {
            return get();
        }
    }
}
