package warehouse;

import com.baomidou.lock.annotation.Lock4j;
import org.springframework.stereotype.Service;

@Service
public class Warehouse {

    /** Stands for a row of a database. */
    private static int shipped;

    @Lock4j(name = "pallet", keys = {"#pallet.hall", "#pallet.id"}, expire = 60_000)
    public void ship(Pallet pallet) throws InterruptedException {
        int before = shipped;
        Thread.sleep(1); // another thread or instance can now do the same
        shipped = before + 1;
    }

    @Lock4j(acquireTimeout = 500)
    public int shipped() {
        return shipped;
    }
}
