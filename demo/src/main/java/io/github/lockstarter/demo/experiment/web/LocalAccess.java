package io.github.lockstarter.demo.experiment.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Restricts the controls of the experiment, which start processes without a login, to local users: requests must come
 * from this machine, name it as host, and not be sent by another site in the browser. The host is checked because any
 * name can resolve to 127.0.0.1 (DNS rebinding).
 */
@Component
@EnableConfigurationProperties(ExperimentProperties.class)
class LocalAccess implements HandlerInterceptor, WebMvcConfigurer {

    private static final Pattern LOCAL_HOST = Pattern.compile("(?i)(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d{1,5})?");
    private static final Set<String> LOCAL_ADDRESSES = Set.of("127.0.0.1", "::1", "0:0:0:0:0:0:0:1");
    private static final String FETCH_SITE = "Sec-Fetch-Site";

    /** The page, and addresses typed by a person. */
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private final ExperimentProperties properties;

    LocalAccess(ExperimentProperties properties) {
        this.properties = properties;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/experiment", "/experiment/**");
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        refusal(request).ifPresent(reason -> {
            throw new ResponseStatusException(HttpStatus.FORBIDDEN, reason);
        });
        return true;
    }

    private Optional<String> refusal(HttpServletRequest request) {
        if (!properties.enabled()) {
            return Optional.of("The experiment is switched off here. Start the application with"
                    + " --demo.experiment.enabled=true on a machine of your own");
        }
        if (!LOCAL_ADDRESSES.contains(request.getRemoteAddr())
                || !LOCAL_HOST.matcher(hostOf(request)).matches()) {
            return Optional.of(
                    "The experiment starts processes, so it is only for the machine it runs on. Open it there,"
                            + " as http://localhost:" + request.getLocalPort());
        }
        if (!isOwnSite(request)) {
            return Optional.of("Another site asks for that. Use the page of the experiment itself, at http://localhost:"
                    + request.getLocalPort());
        }
        return Optional.empty();
    }

    private static String hostOf(HttpServletRequest request) {
        return String.valueOf(request.getHeader(HttpHeaders.HOST));
    }

    /** Only browsers send these headers. */
    private static boolean isOwnSite(HttpServletRequest request) {
        String site = request.getHeader(FETCH_SITE);
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        String host = hostOf(request);
        return (site == null || OWN_SITES.contains(site))
                && (origin == null
                        || List.of("http://" + host, "https://" + host).contains(origin));
    }
}
