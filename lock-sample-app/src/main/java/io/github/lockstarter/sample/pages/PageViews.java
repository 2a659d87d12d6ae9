package io.github.lockstarter.sample.pages;

import io.github.lockstarter.DistributedLock;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/**
 * Counts page views in Redis the naive way: read, add one, write, with time in between for somebody else. (The right
 * tool for a counter is {@code INCR}. This stands for every read-modify-write that has no such command.) Stored as
 * {@code sample:page:<page>:views}.
 */
@Service
public class PageViews {

    private final StringRedisTemplate redis;

    PageViews(StringRedisTemplate redis) {
        this.redis = redis;
    }

    /**
     * Counts one view; two at the same time may count as one.
     *
     * @param page the page
     * @return views as far as this caller saw
     */
    public long countUnlocked(String page) {
        return readAddWrite(page);
    }

    /**
     * Counts one view; one caller per page at a time, over all instances.
     *
     * @param page the page
     * @return views including this one
     */
    @DistributedLock(name = "page-views", key = "#page", waitMs = 10_000)
    public long countLocked(String page) {
        return readAddWrite(page);
    }

    /**
     * Views so far.
     *
     * @param page the page
     * @return zero when it was never seen
     */
    public long views(String page) {
        String views = redis.opsForValue().get(key(page));
        return views == null ? 0 : Long.parseLong(views);
    }

    private long readAddWrite(String page) {
        long views = views(page) + 1;
        redis.opsForValue().set(key(page), Long.toString(views));
        return views;
    }

    private static String key(String page) {
        return "sample:page:" + page + ":views";
    }
}
