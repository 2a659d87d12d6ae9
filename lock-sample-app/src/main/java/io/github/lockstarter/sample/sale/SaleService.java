package io.github.lockstarter.sample.sale;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import org.springframework.stereotype.Service;

/** Sells the stock, one per buyer, regardless of the number of instances. */
@Service
public class SaleService {

    private final SaleStore sales;

    SaleService(SaleStore sales) {
        this.sales = sales;
    }

    /**
     * Puts a product on sale. Needs no lock: a single script does it atomically.
     *
     * @throws SaleException.AlreadyOnSale if the product is already on sale
     */
    public Sale offer(NewSale sale) {
        sales.offer(sale);
        return new Sale(sale.product(), sale.stock(), sale.stock(), 0);
    }

    /**
     * Reads a sale.
     *
     * @throws SaleException.NotOnSale if the product is not on sale
     */
    public Sale find(String product) {
        return sales.find(product).orElseThrow(() -> new SaleException.NotOnSale(product));
    }

    /**
     * Sells one. Calls for the same product run one at a time; other products are not affected.
     *
     * @throws SaleException if the product is not on sale or sold out, the buyer already has one, or a later holder of
     *     the lock has opened the sale
     */
    @DistributedLock(name = "sale", key = "#product")
    public Purchase buy(String product, String buyer) {
        long fencingToken = LockHandle.current().orElseThrow().fencingToken();
        Sale sale = sales.open(product, fencingToken);
        demandSellable(sale, buyer);
        Purchase purchase = new Purchase(product, buyer, sale.left() - 1, fencingToken);
        sales.sell(purchase);
        return purchase;
    }

    private void demandSellable(Sale sale, String buyer) {
        if (sales.hasBought(sale.product(), buyer)) {
            throw new SaleException.BoughtBefore(sale.product(), buyer);
        }
        if (sale.left() == 0) {
            throw new SaleException.SoldOut(sale.product());
        }
    }
}
