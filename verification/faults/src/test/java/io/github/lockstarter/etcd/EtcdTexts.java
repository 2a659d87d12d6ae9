package io.github.lockstarter.etcd;

/** The names under which etcd stores a lock. */
public final class EtcdTexts {

    private EtcdTexts() {}

    public static String slot(String key, int slot) {
        return new KeyNames("lock:").slot(key, slot).toStringUtf8();
    }
}
