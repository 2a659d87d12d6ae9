package io.github.lockstarter.demo.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.experiment.pageview.Variant;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The plan for JMeter calls existing endpoints. JMeter itself was run by hand: see README. */
class LoadPlanTests {

    @Test
    void sendsTheSamePageViewsAsTheExperiment() throws Exception {
        Map<String, String> plan = properties();

        assertThat(plan)
                .containsEntry("ThreadGroup.num_threads", "${__P(requests,666)}")
                .containsEntry("ThreadGroup.ramp_time", "0")
                .containsEntry("HTTPSampler.domain", "${__P(host,localhost)}")
                .containsEntry("HTTPSampler.port", "${__P(port,8080)}")
                .containsEntry("HTTPSampler.method", "POST")
                .containsEntry("Argument.name", "page")
                .containsEntry("Header.name", "X-Request-Id");
        assertThat(plan.get("HTTPSampler.path").replace("${__P(variant,v3)}", Variant.V3.id()))
                .isEqualTo(Variant.V3.path());
    }

    /** Each name is there once, but for the texts of assertions. */
    private static Map<String, String> properties() throws Exception {
        Document plan = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("..", "deploy", "page-views.jmx").toFile());
        NodeList strings = plan.getElementsByTagName("stringProp");
        Map<String, String> properties = new TreeMap<>();
        for (int i = 0; i < strings.getLength(); i++) {
            Element property = (Element) strings.item(i);
            properties.put(property.getAttribute("name"), property.getTextContent());
        }
        return properties;
    }
}
