package boxoffice;

import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.springframework.stereotype.Service;

@Service
public class BoxOffice {

    /** Stands for a row of a database. */
    private static int sold;

    private final RedissonClient redisson;
    private final RReadWriteLock prices;

    public BoxOffice(RedissonClient redisson) {
        this.redisson = redisson;
        this.prices = redisson.getReadWriteLock("prices");
    }

    public void sell(long show) throws InterruptedException {
        RLock lock = redisson.getLock("show:" + show);
        lock.lock();
        try {
            int before = sold;
            Thread.sleep(1); // another thread or instance can now do the same
            sold = before + 1;
        } finally {
            lock.unlock();
        }
    }

    public int sold() {
        prices.readLock().lock();
        try {
            return sold;
        } finally {
            prices.readLock().unlock();
        }
    }
}
