package io.github.lockstarter.sample.sale;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import org.springframework.stereotype.Service;

/** Sells what there is, one to each buyer, however many instances are asked at once. */
@Service
public class SaleService {

    private final SaleStore sales;

    SaleService(SaleStore sales) {
        this.sales = sales;
    }

    /**
     * Puts a product on sale. Needs no lock: the store does it in one step.
     *
     * @param sale what
     * @return the sale
     * @throws SaleException.AlreadyOnSale when it is on sale
     */
    public Sale offer(NewSale sale) {
        sales.offer(sale);
        return new Sale(sale.product(), sale.stock(), sale.stock(), 0);
    }

    /**
     * Reads a sale.
     *
     * @param product what
     * @return the sale
     * @throws SaleException.NotOnSale when there is none
     */
    public Sale find(String product) {
        return sales.find(product).orElseThrow(() -> new SaleException.NotOnSale(product));
    }

    /**
     * Sells one. One call per product runs at a time; other products are sold meanwhile.
     *
     * @param product what
     * @param buyer to whom
     * @return the purchase
     * @throws SaleException when it is not on sale, sold out, the buyer has one, or a newer holder has overtaken this
     *     one
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
