package warehouse;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class WarehouseServer {

    public static void main(String[] args) {
        SpringApplication.run(WarehouseServer.class, args);
    }
}
