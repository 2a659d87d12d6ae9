package io.github.lockstarter.rewrite;

import static org.openrewrite.java.Assertions.java;

import org.junit.jupiter.api.Test;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

class MigrateFromRedissonTests implements RewriteTest {

    private static final String WITHOUT_LOCKS = """
            import org.redisson.api.RedissonClient;

            class Prices {
                Prices(RedissonClient redisson) {
                    redisson.getMap("prices").clear();
                }
            }
            """;

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipe(new MigrateFromRedisson())
                .parser(JavaParser.fromJavaVersion().classpath("redisson"));
    }

    @Test
    void replacesLocksThatAreUsedAsThoseOfTheJdk() {
        rewriteRun(java(WITHOUT_LOCKS), java("""
                        import java.util.concurrent.TimeUnit;
                        import org.redisson.api.RLock;
                        import org.redisson.api.RReadWriteLock;
                        import org.redisson.api.RedissonClient;

                        class Orders {
                            private final RedissonClient redisson;
                            private final RReadWriteLock catalog;

                            Orders(RedissonClient redisson) {
                                this.redisson = redisson;
                                this.catalog = redisson.getReadWriteLock("catalog");
                            }

                            RLock lock(long id) {
                                return redisson.getLock("order:" + id);
                            }

                            void ship(long id) {
                                RLock lock = lock(id);
                                lock.lock();
                                catalog.readLock().lock();
                                try {
                                    pack();
                                } finally {
                                    catalog.readLock().unlock();
                                    lock.unlock();
                                }
                            }

                            boolean pack() throws InterruptedException {
                                var lock = this.redisson.getLock("pack");
                                return lock.tryLock() || lock.tryLock(1, TimeUnit.SECONDS);
                            }
                        }
                        """, """
                        import io.github.lockstarter.LockOperations;

                        import java.util.concurrent.TimeUnit;
                        import java.util.concurrent.locks.Lock;
                        import java.util.concurrent.locks.ReadWriteLock;

                        class Orders {
                            private final LockOperations redisson;
                            private final ReadWriteLock catalog;

                            Orders(LockOperations redisson) {
                                this.redisson = redisson;
                                this.catalog = redisson.asReadWriteLock("catalog");
                            }

                            Lock lock(long id) {
                                return redisson.asLock("order:" + id);
                            }

                            void ship(long id) {
                                Lock lock = lock(id);
                                lock.lock();
                                catalog.readLock().lock();
                                try {
                                    pack();
                                } finally {
                                    catalog.readLock().unlock();
                                    lock.unlock();
                                }
                            }

                            boolean pack() throws InterruptedException {
                                var lock = this.redisson.asLock("pack");
                                return lock.tryLock() || lock.tryLock(1, TimeUnit.SECONDS);
                            }
                        }
                        """));
    }

    /** What has no counterpart stops the translation of all others. */
    @Test
    void marksWhatItCannotTranslate() {
        rewriteRun(java(WITHOUT_LOCKS), java("""
                        import org.redisson.api.RedissonClient;

                        class Orders {
                            Orders(RedissonClient redisson) {
                                redisson.getLock("order").lock();
                            }
                        }
                        """), java("""
                        import java.util.concurrent.TimeUnit;
                        import org.redisson.Redisson;
                        import org.redisson.api.RLock;
                        import org.redisson.api.RedissonClient;

                        class Payments {
                            private final RedissonClient redisson = Redisson.create();

                            void pay(RLock lock) throws InterruptedException {
                                if (lock.tryLock(5, 30, TimeUnit.SECONDS)) {
                                    try {
                                        redisson.getMap("payments").clear();
                                    } finally {
                                        if (lock.isHeldByCurrentThread()) {
                                            lock.unlock();
                                        }
                                    }
                                }
                            }
                        }
                        """, """
                        import java.util.concurrent.TimeUnit;
                        import org.redisson.Redisson;
                        import org.redisson.api.RLock;
                        import org.redisson.api.RedissonClient;

                        class Payments {
                            private final RedissonClient redisson = /*~~(Redisson has no exact counterpart)~~>*/Redisson./*~~(create has no exact counterpart)~~>*/create();

                            void pay(RLock lock) throws InterruptedException {
                                if (lock./*~~(tryLock has no exact counterpart)~~>*/tryLock(5, 30, TimeUnit.SECONDS)) {
                                    try {
                                        redisson./*~~(getMap has no exact counterpart)~~>*/getMap("payments").clear();
                                    } finally {
                                        if (lock./*~~(isHeldByCurrentThread has no exact counterpart)~~>*/isHeldByCurrentThread()) {
                                            lock.unlock();
                                        }
                                    }
                                }
                            }
                        }
                        """), java("""
                        import org.redisson.api.RedissonClient;

                        class Exports {
                            void write(RedissonClient redisson) {
                                redisson.getFairLock("export").lock();
                            }
                        }
                        """, """
                        import org.redisson.api.RedissonClient;

                        class Exports {
                            void write(RedissonClient redisson) {
                                redisson./*~~(getFairLock has no exact counterpart)~~>*/getFairLock("export").lock();
                            }
                        }
                        """));
    }
}
