package boxoffice;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class BoxOfficeServer {

    public static void main(String[] args) {
        SpringApplication.run(BoxOfficeServer.class, args);
    }
}
