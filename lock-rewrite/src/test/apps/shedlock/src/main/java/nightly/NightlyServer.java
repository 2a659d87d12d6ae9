package nightly;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class NightlyServer {

    public static void main(String[] args) {
        SpringApplication.run(NightlyServer.class, args);
    }
}
