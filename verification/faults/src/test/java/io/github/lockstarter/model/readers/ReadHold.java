package io.github.lockstarter.model.readers;

/**
 * What an instance knows of its hold.
 *
 * @param left ticks of its lease; 0 without a hold
 * @param writes whether it excludes readers
 * @param slot of a reader; {@link #UNKNOWN} of a writer, or during a downgrade
 * @param doubted neither certain nor lost
 * @param overtaken since its grant, the store has granted the lock to another instance that it excludes
 */
record ReadHold(int left, boolean writes, int slot, boolean doubted, boolean overtaken) {

    static final int UNKNOWN = -1;

    static final ReadHold NONE = new ReadHold(0, false, UNKNOWN, false, false);

    static ReadHold granted(int lease, boolean writes, int slot) {
        return new ReadHold(lease, writes, slot, false, false);
    }

    boolean exists() {
        return left > 0;
    }

    boolean isCertain() {
        return exists() && !doubted;
    }

    ReadHold overtakenBy(boolean writer) {
        return exists() && (writes || writer) ? new ReadHold(left, writes, slot, doubted, true) : this;
    }

    ReadHold doubt() {
        return new ReadHold(left, writes, slot, true, overtaken);
    }

    ReadHold renewed(int lease) {
        return new ReadHold(lease, writes, slot, false, overtaken);
    }

    ReadHold downgraded(int to) {
        return new ReadHold(left, false, to, doubted, overtaken);
    }

    boolean isDowngrading() {
        return exists() && !writes && slot == UNKNOWN;
    }

    ReadHold tick() {
        return left <= 1 ? NONE : new ReadHold(left - 1, writes, slot, doubted, overtaken);
    }
}
